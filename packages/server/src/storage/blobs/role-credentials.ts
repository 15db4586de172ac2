import { StartError } from '../../base/errors'
import type { S3Credentials } from '../../base/config/storage-config'

/** The operator installs the package; this is what the service uses of it. */
interface CredentialProviders {
  defaultProvider(): () => Promise<S3Credentials>
}

const PACKAGE = '@aws-sdk/credential-provider-node'

const importPackage = (): Promise<CredentialProviders> => import('@aws-sdk/credential-provider-node')

/** The package renews them five minutes before they expire. @throws StartError if it is not installed, or finds none */
export async function loadRoleCredentials(load = importPackage): Promise<() => Promise<S3Credentials>> {
  const providers = await load().catch((error: unknown) => {
    throw isNotInstalled(error) ? describeBothWays(error) : error
  })
  const provide = providers.defaultProvider()
  const find = async (): Promise<S3Credentials> => {
    const { accessKeyId, secretAccessKey, sessionToken } = await provide()
    const keys = { accessKeyId, secretAccessKey }
    return sessionToken === undefined ? keys : { ...keys, sessionToken }
  }
  await find().catch((error: unknown) => {
    throw new StartError(
      `--storage (RUNLEDGER_STORAGE) needs credentials of the store, and ${PACKAGE} found none: ${(error as Error).message}. Give this machine a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
      { cause: error },
    )
  })
  return find
}

function isNotInstalled(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return code?.endsWith('MODULE_NOT_FOUND') === true && message.includes(PACKAGE)
}

function describeBothWays(cause: unknown): StartError {
  return new StartError(
    `--storage (RUNLEDGER_STORAGE) needs the keys of the store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or, for the role of this machine, install ${PACKAGE} beside this package, such as with npm install --global runledger ${PACKAGE}.`,
    { cause },
  )
}
