const { store } = require("./store.cjs");
class Queue {
  items = [];
  constructor(name) { this.name = name; }
  async push(page) {
    this.items.push(page);
    const key = this.name + ":" + page.n;
    await this.flush(key);
  }
  async flush(key) {
    const batch = this.items.slice();
    const receipt = await store(key, batch);
    return receipt;
  }
}
module.exports = { Queue };
