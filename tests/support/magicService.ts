import type { Page } from "playwright-core";
import { devAccount } from "./devAccount.ts";

/**
 * Mocks the service of magic-sdk: the iframe at Magic, implemented in Node. It handles the library's
 * messages with one of the page's test wallets. Returns the recipients of emails.
 */
export async function mockMagic(page: Page, index: number): Promise<string[]> {
  const mails: string[] = [];
  let signedIn: string | null = null;
  await page.exposeFunction("magicService", (method: string, params: { email?: string }[]) => {
    if (method.includes("login_with_magic_link")) {
      signedIn = params[0]?.email ?? null;
      mails.push(String(signedIn));
      return "did-token";
    }
    if (method.includes("is_logged_in")) return signedIn !== null;
    if (method.includes("logout")) {
      signedIn = null;
      return true;
    }
    return { email: signedIn, publicAddress: devAccount(index).address.toLowerCase() };
  });
  await page.context().route("https://auth.magic.link/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<script>
        const params = new URLSearchParams(location.search).get("params");
        const tell = (name, response) => parent.postMessage({ msgType: name + "-" + params, response }, "*");
        addEventListener("message", async ({ data: { payload } }) => {
          if (!payload?.method) return;
          const { id, method } = payload;
          const wallet = window["purseTestWallet${index}"];
          const answer = method.startsWith("magic_")
            ? { result: await window.magicService(method, payload.params) }
            : await wallet(method, payload.params);
          tell("MAGIC_HANDLE_RESPONSE", { jsonrpc: "2.0", id, ...answer });
        });
        tell("MAGIC_OVERLAY_READY");
      </script>`,
    }),
  );
  return mails;
}
