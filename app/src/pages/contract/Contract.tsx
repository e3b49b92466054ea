export function Contract() {
  return null;
}
