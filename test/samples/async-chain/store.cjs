exports.store = async function store(key, batch) {
  const delay = batch.length;
  await new Promise((resolve, reject) => {
    setTimeout(() => {
      const code = key.endsWith("18") ? "E_FULL" : undefined;
      if (code) reject(Object.assign(new Error("store is full"), { code }));
      else resolve();
    }, delay);
  });
};
