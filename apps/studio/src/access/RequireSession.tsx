import { forgetPages, LazyDialog, LazySection, useTranslation } from "@purse/ui";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, useEffect } from "react";
import { useSession } from "../StudioContext.tsx";
import { StudioBrand } from "./StudioBrand.tsx";
import { useOperatorTheme } from "./useOperatorTheme.ts";

// Operators who are signed in need no forms to sign in.
const SessionExpiredDialog = lazy(() =>
  import("./SessionExpiredDialog.tsx").then((module) => ({ default: module.SessionExpiredDialog })),
);
const SetUp = lazy(() => import("./SetUp.tsx").then((module) => ({ default: module.SetUp })));
const SignIn = lazy(() => import("./SignIn.tsx").then((module) => ({ default: module.SignIn })));

/** Renders its children only for signed-in operators. When the session expires they stay mounted behind the sign-in dialog. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const session = useSession();
  const queryClient = useQueryClient();
  useOperatorTheme();
  const state = session?.state;
  const operator = state?.state === "signedIn" ? state.operator.id : undefined;
  // Cached data and the titles of pages must not be shown to the next operator.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another operator is what it is for.
  useEffect(
    () => () => {
      queryClient.clear();
      forgetPages();
    },
    [operator, queryClient],
  );
  if (!session || !state) return null;
  if (state.state === "signedIn") {
    return (
      <>
        <div key={operator}>{children}</div>
        {session.isExpired && (
          <LazyDialog onClose={() => undefined}>
            <SessionExpiredDialog username={state.operator.username} />
          </LazyDialog>
        )}
      </>
    );
  }
  return (
    <main className="sign-in-page">
      <p className="brand">
        <StudioBrand />
      </p>
      <div className="card stack">
        <LazySection>
          {state.state === "setup" ? (
            <SetUp />
          ) : (
            <>
              <h1>{t("Sign in to the studio")}</h1>
              <SignIn />
              <p className="soft small">{t("For operators only. App users can't sign in here.")}</p>
            </>
          )}
        </LazySection>
      </div>
    </main>
  );
}
