/** An amount such as 1234.5 with the thousands separators of English: 1,234.5. */
export function grouped(amount: string): string {
  return amount.replace(/^\d+/, (digits) => BigInt(digits).toLocaleString("en"));
}
