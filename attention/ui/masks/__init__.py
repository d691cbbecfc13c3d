"""The page about masks: who may attend to whom."""
