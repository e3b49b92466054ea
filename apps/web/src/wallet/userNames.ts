/** Whether the server chose a username, as it does for users who signed in with a wallet. */
export function isRandomUsername(username: string): boolean {
  return /^[A-Za-z0-9]{25}$/.test(username);
}
