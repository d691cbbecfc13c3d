"""What is on screen, as a file."""

from attention.export.arrays import json, npz
from attention.export.images import pdf, png, svg
from attention.export.page import html
from attention.export.tables import csv
from attention.export.view import View, filename, python

__all__ = ["View", "csv", "filename", "html", "json", "npz", "pdf", "png", "python", "svg"]
