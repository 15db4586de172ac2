/** Where an S3 store has the bytes, as `s3://bucket/prefix?endpoint=https://…&region=…` says. */
export interface StorageAddress {
  bucket: string
  /** Address of the bucket, with a slash at its end. */
  bucketUrl: string
  /** What the names of all objects begin with: empty, or with a slash at its end. */
  prefix: string
  region: string
}

const DEFAULT_REGION = 'us-east-1'

/** @throws TypeError that says what the address must be */
export function parseStorageAddress(text: string): StorageAddress {
  const [, bucket, path = '', query = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? []
  if (bucket === undefined)
    throw new TypeError(`must be the address of a bucket, such as s3://runs?region=eu-west-1`)
  const settings = new URLSearchParams(query)
  for (const name of settings.keys())
    if (name !== 'endpoint' && name !== 'region')
      throw new TypeError(`has "${name}", which is neither endpoint nor region`)
  const region = settings.get('region') ?? DEFAULT_REGION
  const prefix = path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => `${part}/`)
    .join('')
  if (!/^(?:(?!\.{1,2}\/)[\w.-]+\/)*$/.test(prefix))
    throw new TypeError('must have only letters, digits and _ . - / after the bucket')
  return { bucket, bucketUrl: findBucketUrl(bucket, region, settings.get('endpoint')), prefix, region }
}

/** The bucket is in the path, as all stores accept it; for Amazon’s own it is in the host name. */
function findBucketUrl(bucket: string, region: string, endpoint: string | null): string {
  if (endpoint === null) return `https://${bucket}.s3.${region}.amazonaws.com/`
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new TypeError('must have an endpoint such as https://s3.example.com')
  return `${url.href.replace(/\/*$/, '')}/${bucket}/`
}
