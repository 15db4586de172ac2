/** Secrets of every kind that is known by its shape. Put together here, so that nobody takes them for real ones. */
export const PLANTED_TOKENS: Record<string, string> = {
  'GitHub token': `ghp_${'a1B2'.repeat(9)}`,
  'fine-grained GitHub token': `github_pat_${'11ABC_'.repeat(13)}wxyz`,
  'GitLab token': `glpat-${'x7Yz-'.repeat(4)}`,
  'npm token': `npm_${'q9Wx'.repeat(9)}`,
  'AWS key': `AKIA${'Q3EGRT7X'.repeat(2)}`,
  'Google key': `AIza${'Sy3_-'.repeat(7)}`,
  'Slack token': `xoxb-${'1234567890-'.repeat(2)}abcdEFGH`,
  'Slack webhook': `hooks.slack.com/services/${'T0AB1/'.repeat(3)}abcdefgh12345678`,
  'Stripe key': `sk_live_${'4eC39H'.repeat(4)}`,
  'JSON Web Token': `eyJ${'hbGciOiJ'.repeat(3)}.eyJ${'zdWIiOiI'.repeat(3)}.${'s1gN_-'.repeat(6)}`,
  'private key': `-----BEGIN RSA PRIVATE KEY-----\n${`${'MIIEowIBAAKC'.repeat(5)}\n`.repeat(12)}-----END RSA PRIVATE KEY-----`,
  'user key': `rl_user_${'Zk3_9-'.repeat(7)}`,
  'station key': `rl_station_${'p0Q-'.repeat(10)}`,
  'PyPI token': `pypi-AgEI${'cHlwaS5v'.repeat(9)}`,
  'Twilio key': `SK${'0a1b2c3d'.repeat(4)}`,
  'Mailgun key': `key-${'0a1b2c3d'.repeat(4)}`,
  'Heroku key': `HRKU-${'Ab1_-9'.repeat(10)}`,
  'Vercel token': `vcp_${'Ab1x9Z'.repeat(9)}`,
  'Supabase token': `sbp_${'0a1b2c3d'.repeat(5)}`,
  'Supabase key': `sb_secret_${'Ab1_-9'.repeat(6)}`,
  'PlanetScale password': `pscale_pw_${'Ab1x9Z'.repeat(7)}`,
  'Figma token': `figd_${'Ab1_-9'.repeat(7)}`,
  'New Relic key': `NRAK-${'A1B2C3D4E'.repeat(3)}`,
  'New Relic licence': `${'0a1b2c3d'.repeat(4)}FFFFNRAL`,
  'age key': `AGE-SECRET-KEY-1${'Q9ZX'.repeat(15)}`,
  'age key in small letters': `age-secret-key-1${'q9zx'.repeat(15)}`,
  'bearer token': `${'o4pQ.'.repeat(6)}7`,
}

/** A text that holds a planted token as programs print it. */
export function tellToken(kind: string): string {
  const token = PLANTED_TOKENS[kind] as string
  return kind === 'bearer token' ? `authorization: Bearer ${token}` : `before ${token} after`
}

/** The parts of a secret that a search looks for: a key in several lines is there line by line. */
export function listTraces(secret: string): string[] {
  return secret.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
}
