let a = 1; let b = [1, 2].map(x => x + a); export { b };
