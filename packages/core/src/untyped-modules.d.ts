// Modules without types of their own.

declare module 'env-ci' {
  type Fact = 'name' | 'service' | 'slug' | 'build' | 'buildUrl' | 'branch' | 'commit' | 'pr' | 'prBranch'
  export type EnvCiResult = { isCi: boolean } & Partial<Record<Fact, string>>
  export default function envCi(options: { env: NodeJS.ProcessEnv; cwd: string }): EnvCiResult
}
