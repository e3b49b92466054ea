/**
 * For links that change one parameter of the URL: the current one is the one whose whole search matches. Otherwise the router
 * marks a link that removes the parameter as the current one whatever its value is.
 */
export const EXACT_MATCH = { exact: true, includeSearch: true, explicitUndefined: true };
