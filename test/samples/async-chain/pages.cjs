async function* pages(start, count) {
  for (let n = start; n < start + count; n++) {
    await null;
    yield { n, text: "page " + n };
  }
}
module.exports = { pages };
