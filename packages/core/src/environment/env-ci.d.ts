declare module 'env-ci' {
  interface CiResult {
    isCi: boolean
    name?: string
    service?: string
    slug?: string
    build?: string
    buildUrl?: string
    branch?: string
    commit?: string
    pr?: string
    prBranch?: string
  }
  export default function envCi(options: { env: Record<string, string | undefined>; cwd: string }): CiResult
}
