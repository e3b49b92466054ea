import { Passkeys } from "@purse/client";
import { type OwnPasskey, usePasskeys } from "@purse/react";
import { Passkeys as PasskeyList, type QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";

/** The passkeys of the user, which several parts of the page share. */
export function useOwnPasskeys(userId: string): QueryResult<readonly OwnPasskey[]> {
  const { fetch } = usePasskeys({ autoFetch: false });
  return useServerQuery({
    queryKey: ["passkeys", userId],
    queryFn: async ({ signal }) => (await fetch({ signal, throwOnError: true })) ?? [],
    isMutable: true,
  });
}

/** The passkeys that sign in to the user's account. `hasFactor`: adding one needs the second factor. */
export function OwnPasskeys({ userId, hasFactor }: { userId: string; hasFactor: boolean }) {
  const { register, rename, remove } = usePasskeys({ autoFetch: false });
  const query = useOwnPasskeys(userId);
  return (
    <PasskeyList
      query={query}
      isSupported={Passkeys.isSupported()}
      needsCode={hasFactor}
      add={async (name, { code }) => {
        const proof = code === "" && hasFactor ? await Passkeys.proveFactor() : code;
        await register({ name, ...(hasFactor && { code: proof }), throwOnError: true });
      }}
      rename={(id, name) => rename(id, name, { throwOnError: true })}
      remove={(id) => remove(id, { throwOnError: true })}
    />
  );
}
