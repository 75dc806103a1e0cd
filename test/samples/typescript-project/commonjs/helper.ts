function help(): string { return "help"; }
export = { help };
