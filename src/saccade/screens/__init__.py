"""Where elements come from: page DOM, uiautomator, DroidBot; and the marks drawn on them."""
