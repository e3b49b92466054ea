/** The local chain that Purse starts in development. Its node signs for its funded accounts without asking. */
const NODE = "http://127.0.0.1:8545";
/** The same each time, so that a wallet that is announced twice is one. */
const UUID = "7b1c2f9e-3d55-4a86-9c1d-0e6a4f8b2d31";
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0f5f49"/></svg>',
)}`;

/** Announces an account of the local chain as a wallet (EIP-6963), so that development needs no browser extension. */
export function announceLocalWallet(): void {
  const info = { uuid: UUID, name: "Local wallet", icon: ICON, rdns: "localhost.wallet" };
  const detail = Object.freeze({ info, provider: { request } });
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}

async function request({ method, params = [] }: { method: string; params?: object }): Promise<unknown> {
  const response = await fetch(NODE, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: method === "eth_requestAccounts" ? "eth_accounts" : method,
      params,
    }),
  });
  const { result, error } = await response.json();
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}
