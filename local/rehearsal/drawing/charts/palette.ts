import { UserFacingError } from 'serve-stack';

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

const thresholdColor = '#c9303c';

/** Chooses the colour that the widget asks for, or one by meaning, or one by place. */
export const colorOf = ({ label, color }: { label: string; color?: string | undefined }, index: number): string =>
  checked(color) ?? meanings[label.toLowerCase()] ?? others[index % others.length] ?? '';

export const thresholdColorOf = ({ color }: { color?: string | undefined }): string => checked(color) ?? thresholdColor;

/** A colour goes into the drawing as it is, past all escaping. */
const checked = (color: string | undefined): string | undefined => {
  if (color === undefined || /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) return color;
  throw new UserFacingError(`A dashboard's colours are written #rrggbb; one is ${color}.`);
};
