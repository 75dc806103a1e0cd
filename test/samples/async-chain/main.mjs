// Ten awaits across five modules, ESM and CommonJS mixed; the last one fails.
import { load } from "./loader.mjs";
import { Queue } from "./queue.cjs";

class App {
  retries = 3;
  run = async (request) => {
    const queue = new Queue("jobs");
    const answer = await load(request, queue);
    return answer;
  };
}

async function main(argument) {
  const app = new App();
  const results = await Promise.all([app.run({ id: argument, tags: ["a"] })]);
  return results.length;
}

await main(17);
