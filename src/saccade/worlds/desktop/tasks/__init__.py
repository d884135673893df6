"""Tasks in real desktop applications: templates with random parameters, judged on the files that they leave behind."""
