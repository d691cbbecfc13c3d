"""Start here: seven steps for somebody new, and the words of the field."""

from attention.ui.concept import opening
from attention.ui.start import page
from attention.ui.style import page_palette, style

colours = page_palette()
style(colours, 0)
page.style(colours)
opening(page.TITLE, page.LINE)
page.told()
page.idea()
page.path()
page.glossary()
