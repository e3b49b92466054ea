import { useTranslation } from "@purse/ui";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useSession } from "../StudioContext.tsx";
import { SessionExpiredDialog } from "./SessionExpiredDialog.tsx";
import { SetUp } from "./SetUp.tsx";
import { SignIn } from "./SignIn.tsx";
import { StudioBrand } from "./StudioBrand.tsx";

/** Renders its children only for signed-in operators. When the session expires they stay mounted behind the sign-in dialog. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const session = useSession();
  const queryClient = useQueryClient();
  const state = session?.state;
  const operator = state?.state === "signedIn" ? state.operator.id : undefined;
  // Cached data must not be shown to the next operator.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another operator is what it is for.
  useEffect(() => () => queryClient.clear(), [operator, queryClient]);
  if (!session || !state) return null;
  if (state.state === "signedIn") {
    return (
      <>
        <div key={operator}>{children}</div>
        {session.isExpired && <SessionExpiredDialog username={state.operator.username} />}
      </>
    );
  }
  return (
    <main className="sign-in-page">
      <p className="brand">
        <StudioBrand />
      </p>
      <div className="card stack">
        {state.state === "setup" ? (
          <SetUp />
        ) : (
          <>
            <h1>{t("Sign in to the studio")}</h1>
            <SignIn />
            <p className="soft small">{t("For operators only. App users can't sign in here.")}</p>
          </>
        )}
      </div>
    </main>
  );
}
