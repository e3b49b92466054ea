/** An IPFS gateway. All return the same content for a CID. */
export interface Gateway {
  name: string;
  urlOf: (cid: string) => string;
}

export function gatewaysOf(serverUrl: string): Gateway[] {
  const { origin } = new URL(serverUrl);
  return [
    { name: new URL(origin).host, urlOf: (cid) => `${origin}/ipfs/${cid}` },
    { name: "ipfs.io", urlOf: (cid) => `https://ipfs.io/ipfs/${cid}` },
    { name: "dweb.link", urlOf: (cid) => `https://dweb.link/ipfs/${cid}` },
    { name: "ipfs://", urlOf: (cid) => `ipfs://${cid}` },
  ];
}
