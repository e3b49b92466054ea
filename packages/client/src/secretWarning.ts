/** Warns in the console that a page has a secret of the server. */
export function warnOfSecret(): void {
  console.warn(
    "Moralis.start warning: using moralisSecret or masterKey on the browser exposes it to everyone",
  );
}
