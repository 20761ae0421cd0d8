/** The ranking of the search: long pages rank like short ones, and whole words rank above parts of words. */
export const ranking = { pageLength: 0.1, termFrequency: 0.1, termSaturation: 2, termSimilarity: 9 };
