"""Classifiers whose `fit` takes shards. Doors: `online`, `batch`, `kozinec`."""
