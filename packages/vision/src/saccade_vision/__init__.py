"""Elements from pixels alone: text, widgets and icon meanings of a screen, found in its picture on a CPU."""
