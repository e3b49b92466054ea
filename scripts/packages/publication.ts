/** What the manifests of all published packages say. */

type Environment = Record<string, string | undefined>;

/** The settings of `npm publish`: a package is public and has its provenance, which a workflow has to attest. */
export const PUBLISH_CONFIG = { access: "public", provenance: true };

/** The versions of Node.js that programs and the server run on. */
export const NODE_VERSIONS = { node: ">=22.18" };

/**
 * The repository of a package in `folder`, as provenance needs it: the one whose workflow builds the package. Without a
 * workflow there is none.
 */
export function repositoryOf(folder: string, env: Environment = process.env): object {
  const { GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY: name } = env;
  if (!name) return {};
  const url = `${server}/${name}`;
  return {
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: "git", url: `git+${url}.git`, directory: folder },
  };
}
