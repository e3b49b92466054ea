import "./studio.css";
import {
  createQueryClient,
  handleChunkErrors,
  keepFocus,
  loadTranslator,
  requestFont,
  StartFailure,
  ToastProvider,
  TranslationProvider,
} from "@purse/ui";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RequireSession } from "./access/RequireSession.tsx";
import { StudioApi, StudioRequestError } from "./api.ts";
import { CATALOGS } from "./i18n/catalogs.ts";
import { router } from "./router.tsx";
import { StudioContext } from "./StudioContext.tsx";

const container = document.getElementById("root");
if (!container) throw new Error("studio.html has no #root");
const root = createRoot(container);
const studio = new StudioApi();
const queryClient = createQueryClient({
  staleTime: 5_000,
  refetchOnWindowFocus: true,
  // Only network errors are retried.
  retry: (failures, error) => failures < 2 && error instanceof StudioRequestError && error.status === 0,
});

requestFont();
handleChunkErrors();
keepFocus();
// Session and translations load in parallel, so that errors are translated too.
const started = studio.loadSession().then(
  () => undefined,
  (error: unknown) => ({ error }),
);
const texts = await loadTranslator(CATALOGS);
const failure = await started;
root.render(
  <StrictMode>
    <TranslationProvider catalogs={CATALOGS} initial={texts}>
      {failure ? (
        <StartFailure error={failure.error} />
      ) : (
        <StudioContext value={studio}>
          <QueryClientProvider client={queryClient}>
            <ToastProvider>
              <RequireSession>
                <RouterProvider router={router} />
              </RequireSession>
            </ToastProvider>
          </QueryClientProvider>
        </StudioContext>
      )}
    </TranslationProvider>
  </StrictMode>,
);
