import { expect, it } from 'vitest'
import { isSecretName, listSecretValues } from './secret-values'

it.each(
  (
    'GITHUB_TOKEN API_KEY APIKEY AWS_SECRET_ACCESS_KEY DB_PASSWORD PGPASSWORD MYSQL_PWD SMTP_PASS GCP_CREDENTIALS ' +
    'NPM_CONFIG__AUTH npm_config_//registry/:_authToken COMPOSER_AUTH PRIVATE_KEY STRIPE_SECRET azure.client.secret ' +
    'VAULT_SECRET_ID GITHUB_PAT apiToken'
  ).split(' '),
)('takes %s for the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(true)
})

it.each(
  (
    'PWD OLDPWD SSH_AUTH_SOCK PATH XAUTHORITY GIT_ASKPASS KEYBOARD_LAYOUT MONKEY PASSENGER TOKENIZER_MODE AUTH_URL ' +
    'AUTH_ENABLED KEY_FILE PUBLIC_KEY TOKEN_TTL AUTHOR GIT_AUTHOR_NAME KEYCLOAK_HOST npm_package_name COMPASS'
  ).split(' '),
)('takes %s for no such name', (name) => {
  expect(isSecretName(name)).toBe(false)
})

it('leaves values that are no secrets, whatever their name', () => {
  const env = {
    A_TOKEN: 'true',
    B_KEY: 'short',
    C_SECRET: 'Password',
    D_PASS: '12345678',
    E_KEY: 'xxxxxxxxxx',
    G_AUTH: '',
  }
  expect(listSecretValues({ ...env, F_CREDENTIALS: import.meta.filename })).toEqual([])
  expect(listSecretValues({ F_CREDENTIALS: '/no/such/file' })).toEqual(['/no/such/file'])
})
