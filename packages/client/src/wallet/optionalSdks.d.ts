/*
 * Optional peers that are not installed here. Their names must stand in the imports as they are: of a computed name
 * bundlers do not know what to bring along.
 */
declare module "@walletconnect/ethereum-provider" {
  const library: unknown;
  export default library;
}

declare module "@web3auth/modal" {
  const library: unknown;
  export default library;
}
