/** Where content in IPFS can be read, by its identifier: any of them gives the same bytes. */
export interface Gateway {
  name: string;
  address: (cid: string) => string;
}

export function gatewaysOf(serverUrl: string): Gateway[] {
  const { origin } = new URL(serverUrl);
  return [
    { name: new URL(origin).host, address: (cid) => `${origin}/ipfs/${cid}` },
    { name: "ipfs.io", address: (cid) => `https://ipfs.io/ipfs/${cid}` },
    { name: "dweb.link", address: (cid) => `https://dweb.link/ipfs/${cid}` },
    { name: "ipfs://", address: (cid) => `ipfs://${cid}` },
  ];
}
