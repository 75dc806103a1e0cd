throw new SyntaxError("this file does not load");
