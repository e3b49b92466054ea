import { registerConnector } from "@purse/client";
import { MoralisProvider } from "@purse/react";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app.css";
import { handleChunkErrors } from "./chunkErrors.ts";
import { ToastProvider } from "./design/Toasts.tsx";
import { TranslationProvider } from "./i18n/TranslationContext.tsx";
import { loadTranslator } from "./i18n/translator.ts";
import { router } from "./router.tsx";
import { SettingsContext } from "./SettingsContext.tsx";
import { StartFailure } from "./StartFailure.tsx";
import { loadSettings } from "./settings.ts";
import { DEVELOPMENT_WALLET } from "./wallet/developmentWalletName.ts";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);

/** The app uses no plugins, so starting the client sends no request. */
const NO_PLUGINS: [] = [];

handleChunkErrors();
// Loads the page code in parallel with the settings.
void router.load();
// Settings and translations load in parallel, so errors are translated too.
const pendingSettings = loadSettings().catch((error: unknown) => ({ error }));
const translator = await loadTranslator("app");
const settings = await pendingSettings;
if (!("error" in settings) && settings.development) {
  registerConnector(DEVELOPMENT_WALLET, async () =>
    (await import("./wallet/developmentWallet.ts")).developmentConnector(settings),
  );
}
root.render(
  <StrictMode>
    <TranslationProvider namespace="app" initial={translator}>
      {"error" in settings ? (
        <StartFailure error={settings.error} />
      ) : (
        <SettingsContext value={settings}>
          <MoralisProvider appId={settings.appId} serverUrl={settings.serverUrl} plugins={NO_PLUGINS}>
            <ToastProvider>
              <RouterProvider router={router} />
            </ToastProvider>
          </MoralisProvider>
        </SettingsContext>
      )}
    </TranslationProvider>
  </StrictMode>,
);
