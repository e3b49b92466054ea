import { MoralisProvider } from "@purse/react";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app.css";
import { ErrorState } from "./design/states.tsx";
import { ToastArea } from "./design/Toasts.tsx";
import { router } from "./router.tsx";
import { SettingsContext } from "./SettingsContext.tsx";
import { loadSettings } from "./settings.ts";
import { TextsContext } from "./texts/TextsContext.tsx";
import { loadTexts } from "./texts/text.ts";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);

try {
  const [settings, texts] = await Promise.all([loadSettings(), loadTexts()]);
  document.documentElement.lang = texts.language;
  root.render(
    <StrictMode>
      <TextsContext value={texts}>
        <SettingsContext value={settings}>
          <MoralisProvider appId={settings.appId} serverUrl={settings.serverUrl}>
            <ToastArea>
              <RouterProvider router={router} />
            </ToastArea>
          </MoralisProvider>
        </SettingsContext>
      </TextsContext>
    </StrictMode>,
  );
} catch (error) {
  root.render(<ErrorState error={error} retry={() => window.location.reload()} />);
}
