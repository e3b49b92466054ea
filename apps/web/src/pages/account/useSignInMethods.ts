import { useMoralis } from "@purse/react";
import type { QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";

export interface SignInMethods {
  hasPassword: boolean;
}

/** How the signed-in user can sign in, besides wallets and passkeys. */
export function useSignInMethods(): QueryResult<SignInMethods> {
  const { Moralis, user } = useMoralis();
  return useServerQuery({
    queryKey: ["sign-in-methods", user?.id],
    async queryFn(options) {
      const { hasPassword } = Object(await Moralis._request("GET", "users/me/signInMethods", {}, options));
      return { hasPassword: hasPassword === true };
    },
  });
}
