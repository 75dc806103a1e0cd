// Builds a graph of objects that the failing frames can reach, and crashes.
"use strict";
const wanted = Number(process.argv[2]);

function build(count) {
  const users = [];
  let objects = 1;
  while (objects < count) {
    const user = {
      id: users.length,
      name: `user ${users.length}`,
      tags: ["a", "b"],
      manager: users[users.length >> 1],
    };
    users.push(user);
    objects += 2;
  }
  return users;
}

function audit(users, limit) {
  const last = users.at(-1);
  process.stdout.write(`THROW ${performance.timeOrigin + performance.now()}\n`);
  if (last.id < limit) throw new RangeError(`only ${users.length} users`);
}

function main() {
  const users = build(wanted);
  const groups = { byId: new Map(users.map((user) => [user.id, user])), users };
  audit(groups.users, Infinity);
}

main();
