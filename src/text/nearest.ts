// Names may be of any length, and the distance of two takes as many steps as the product of their lengths.
const longestCompared = 40;

/** The names most similar to a misspelled one, best first. */
export function nearest(wanted: string, names: Iterable<string>, limit = 3): string[] {
  const target = compared(wanted);
  const lengthGap = (name: string) => Math.abs(name.length - wanted.length);
  const scored: { name: string; distance: number }[] = [];
  for (const name of names) {
    const candidate = compared(name);
    const most = Math.max(2, Math.floor(Math.max(target.length, candidate.length) / 3));
    const distance = distanceOf(target, candidate, most);
    if (distance <= most) scored.push({ name, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || lengthGap(a.name) - lengthGap(b.name))
    .slice(0, limit)
    .map(({ name }) => name);
}

function distanceOf(a: string, b: string, most: number): number {
  if (a === b) return 0;
  return a.includes(b) || b.includes(a) ? 1 : editDistance(a, b, most);
}

function compared(name: string): string {
  return name.slice(0, longestCompared).toLowerCase();
}

/** Any number over `most` if the distance is greater than that. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let previous = Uint16Array.from({ length: b.length + 1 }, (_, index) => index);
  let current = new Uint16Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    current[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const steps = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      current[j] = steps;
      least = Math.min(least, steps);
    }
    // It never becomes less again.
    if (least > most) return least;
    [previous, current] = [current, previous];
  }
  return previous[b.length] ?? 0;
}
