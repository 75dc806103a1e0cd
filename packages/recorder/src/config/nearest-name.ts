/**
 * Finds what somebody meant who wrote a name that does not exist.
 */

const MAX_NAME_UNITS = 64;

/** Gives the known name nearest to `name`, when it is near enough to be a slip. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  let best: string | undefined;
  // A third of the name may be wrong; more than that is another word.
  let bestDistance = Math.floor(wanted.length / 3) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate));
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** So that `ring_capacity`, `ring-capacity` and `RingCapacity` are all `ringCapacity`. */
function plain(name: string): string {
  return name.slice(0, MAX_NAME_UNITS).replaceAll(/[-_]/g, "").toLowerCase();
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const current = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const same = left.charCodeAt(i) === right.charCodeAt(j) ? 0 : 1;
      const replaced = (previous[j] ?? 0) + same;
      current.push(Math.min(replaced, (previous[j + 1] ?? 0) + 1, (current[j] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
