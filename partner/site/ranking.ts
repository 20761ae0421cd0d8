/** How the search weighs what it finds. A long page is no worse than a short one, and a word in full counts more than a part of one. */
export const ranking = { pageLength: 0.1, termFrequency: 0.1, termSaturation: 2, termSimilarity: 9 };
