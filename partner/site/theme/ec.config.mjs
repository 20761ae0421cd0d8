/**
 * How code is shown. Long lines are wrapped: nothing is cut off on a phone, or has to be scrolled sideways. It is a file of its
 * own because `starlight-openapi` replaces what `astro.config.js` would say.
 */
export default { defaultProps: { wrap: true } };
