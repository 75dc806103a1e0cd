let failures = 0;
const limits = { low: 5 };
for (let round = 0; round < 3; round++) {
  const waited = round * 4;
  if (waited > limits.low) {
    failures++;
    throw new Error(`waited ${waited}`);
  }
}
