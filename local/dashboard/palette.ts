/** The same meaning has the same colour wherever it is drawn. */
const meanings: Readonly<Record<string, string>> = {
  allowed: '#8db596',
  refused: '#e3b341',
  limited: '#e8772e',
  failed: '#c9303c',
};

/** Apart from each other, and from those that mean something. */
const others = [
  ...['#3b78ab', '#7d6bb3', '#3f9c9c', '#b0679a', '#8a7a5c', '#5b8c3a', '#5f6b7a', '#c07f5a', '#2f5d8a', '#9aa5b1'],
  ...['#8fbcdc', '#b9a9dd', '#8fcfcb', '#dba6c8', '#c4b491', '#a5cf86', '#3a4250', '#e3b79b', '#6d8f4a', '#d0d5db'],
];

export const thresholdColor = '#c9303c';

/** As the widget asks for it; otherwise by meaning, otherwise by its place. */
export const colorOf = ({ label, color }: { label: string; color?: string | undefined }, index: number): string =>
  color ?? meanings[label.toLowerCase()] ?? others[index % others.length] ?? thresholdColor;
