export function isAddressText(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}
