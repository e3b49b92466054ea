import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { useAccess } from "../StudioContext.tsx";
import { SetUp } from "./SetUp.tsx";
import { SignIn } from "./SignIn.tsx";
import { SignInAgain } from "./SignInAgain.tsx";
import { StudioBrand } from "./StudioBrand.tsx";

/** Shows the studio to operators alone. Where a session ends, what they were doing stays as it is behind the sign-in. */
export function Door({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const access = useAccess();
  const queries = useQueryClient();
  const state = access?.state;
  const operator = state?.state === "signedIn" ? state.operator.id : undefined;
  // What one operator has read is not shown to the next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another operator is what it is for.
  useEffect(() => () => queries.clear(), [operator, queries]);
  if (!access || !state) return null;
  if (state.state === "signedIn") {
    return (
      <>
        <div key={operator}>{children}</div>
        {access.isEnded && <SignInAgain username={state.operator.username} />}
      </>
    );
  }
  return (
    <main className="door">
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
            <p className="soft small">
              {t("Operators have accounts of their own. Users of the application cannot sign in here.")}
            </p>
          </>
        )}
      </div>
    </main>
  );
}
