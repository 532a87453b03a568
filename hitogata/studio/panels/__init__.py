"""The controls of the page, one module for each tab."""
