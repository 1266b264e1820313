"""Of which set a value is: the training's, the validation's or a test's."""
