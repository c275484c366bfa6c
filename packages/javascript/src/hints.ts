/** Return at most three known names similar to a name, the most similar first. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  const rated = [...new Set(known)].map((other): [number, string] => [likeness(name, other), other]);
  const near = rated.filter(([share]) => share > 0.5).sort(([left], [right]) => right - left);
  return near.slice(0, 3).map(([, other]) => other);
}

/** The share of neighbouring letters that two names have in common (Dice), from 0 to 1. */
function likeness(left: string, right: string): number {
  const [ours, theirs] = [pairs(left), pairs(right)];
  const shared = [...ours].filter((pair) => theirs.has(pair)).length;
  return (2 * shared) / (ours.size + theirs.size);
}

function pairs(text: string): Set<string> {
  return new Set(Array.from(text.toLowerCase(), (letter, at) => letter + (text[at + 1] ?? "").toLowerCase()));
}
