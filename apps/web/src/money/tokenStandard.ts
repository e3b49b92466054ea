/** The name of a token standard as its specification writes it: `ERC721` is `ERC-721`. */
export function tokenStandard(contractType: string): string {
  return contractType.replace(/^ERC(?=\d)/, "ERC-");
}
