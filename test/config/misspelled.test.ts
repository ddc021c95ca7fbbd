import t from 'tap'
import { readConfig } from '../../src/config/config.ts'
import { readFlags } from '../../src/config/flags.ts'
import { helpText } from '../../src/config/help.ts'

const KEY = 'k'.repeat(40)
const problemsOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
    return ''
  } catch (error) {
    return (error as Error).message.replace('bad configuration:\n  ', '')
  }
}

t.test(
  'a variable that is nearly one of ours ends the start, and the message names the right one',
  async (t) => {
    const meant: Record<string, string> = {
      SOLANA_RPC_URL: 'SOLANA_RPC_URLS',
      SOLANA_RCP_URLS: 'SOLANA_RPC_URLS',
      SOLANA_SENDS_URL: 'SOLANA_SEND_URLS',
      solana_rpc_urls: 'SOLANA_RPC_URLS',
      'SOLANA-RPC-URLS': 'SOLANA_RPC_URLS',
      QUOTE_SECRETS: 'QUOTE_SECRET',
      QOUTE_SECRET: 'QUOTE_SECRET',
      TRUSTED_PROXY: 'TRUSTED_PROXIES',
      CORS_ORIGIN: 'CORS_ORIGINS',
      LOG_LEVL: 'LOG_LEVEL',
      JUPITER_APIKEY: 'JUPITER_API_KEY',
      JUPITER_KEY: 'JUPITER_API_KEY',
      GECKO_TERMINAL_URL: 'GECKOTERMINAL_URL',
      SHUTDOWN_GRACE: 'SHUTDOWN_GRACE_MS',
      TOKEN_FILE: 'TOKENS_FILE',
      VERIFER: 'VERIFIER',
      ADMIN_PROT: 'ADMIN_PORT',
      MIN_VERIFCATION: 'MIN_VERIFICATION',
      RPC_URL_BASE: 'RPC_URLS_BASE',
    }
    for (const [name, variable] of Object.entries(meant)) {
      const problem = problemsOf({ [name]: KEY })
      t.match(problem, `${name} is not read; ${variable} is.`, name)
      t.notMatch(problem, KEY, 'a value may be a key')
    }
  },
)

t.test('a chain that there is not ends the start, whatever it is called', async (t) => {
  t.match(problemsOf({ RPC_URLS_BSE: 'x' }), 'RPC_URLS_BSE is not read; RPC_URLS_BASE is')
  t.match(problemsOf({ RPC_URLS_ETHER: 'x' }), 'RPC_URLS_ETHER is not read; RPC_URLS_ETHEREUM is')
  t.match(problemsOf({ RPC_URLS_SOLANA: 'x' }), 'RPC_URLS_SOLANA is not read; SOLANA_RPC_URLS is')
  t.match(problemsOf({ RPC_URLS_DOGE: 'x' }), /^RPC_URLS_DOGE is not read; .*RPC_URLS_BASE, .*RPC_URLS_TON$/)
  t.match(problemsOf({ RPC_URLS_: 'x' }), 'RPC_URLS_ is not read; those of chains are')
})

t.test('a key of GoPlus by its older name ends the start, which names the one that is read', async (t) => {
  t.match(problemsOf({ GOPLUS_API_KEY: 'x' }), 'GOPLUS_API_KEY is not read; GOPLUS_APP_KEY is')
})

t.test('every problem is named at once', async (t) => {
  const problems = problemsOf({ PORT: 'x', QUOTE_SECRETS: KEY, RPC_URLS_DOGE: 'x' })
  for (const name of ['PORT="x"', 'QUOTE_SECRETS is not read', 'RPC_URLS_DOGE is not read']) {
    t.match(problems, name)
  }
})

t.test('an empty variable, or a near miss of one that is set, is not a typo', async (t) => {
  t.equal(problemsOf({ SOLANA_RPC_URL: 'https://a.example', SOLANA_RPC_URLS: 'https://b.example' }), '')
  t.match(problemsOf({ SOLANA_RPC_URL: 'https://a.example', SOLANA_RPC_URLS: ' ' }), 'SOLANA_RPC_URLS is')
  t.equal(problemsOf({ SOLANA_RPC_URL: '', RPC_URLS_DOGE: ' ' }), '')
})

t.test('what shells, platforms and other programs set never ends a start', async (t) => {
  const others = `
    PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL PWD OLDPWD SHLVL TMPDIR TZ EDITOR HOSTNAME HOSTTYPE HOSTS
    HOST_IP OSTYPE MAIL DISPLAY COLUMNS LINES PS1 _ MODES PORTS PORT_NUMBER LIMIT LIMIT_MB HTTP_PORT HTTPS_PORT
    SERVER_PORT LISTEN_HOST BIND_HOST APP_PORT APP_MODE
    SSH_CLIENT SSH_CONNECTION SSH_AUTH_SOCK SSH_TTY XDG_RUNTIME_DIR XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS
    INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET WATCHDOG_USEC MAINPID LISTEN_FDS LISTEN_PID MEMORY_PRESSURE_WATCH
    NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION YARN_VERSION NODE_EXTRA_CA_CERTS UV_THREADPOOL_SIZE NO_COLOR
    FORCE_COLOR npm_config_loglevel npm_config_user_agent npm_lifecycle_event npm_package_name npm_execpath
    npm_package_version NPM_CONFIG_LOGLEVEL NPM_TOKEN INIT_CWD COLOR CI DEBUG VERBOSE
    HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY
    LOGLEVEL LOG_FILE LOG_DIR LOG_OUTPUT RUST_LOG PINO_LOG_LEVEL
    KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT
    KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_PROTO KUBERNETES_PORT_443_TCP_ADDR POD_NAME POD_IP
    POD_NAMESPACE NAMESPACE SERVICE_ACCOUNT container DOCKER_HOST
    AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_WEB_IDENTITY_TOKEN_FILE AWS_EXECUTION_ENV
    ECS_CONTAINER_METADATA_URI GOOGLE_APPLICATION_CREDENTIALS GCP_PROJECT K_SERVICE K_REVISION
    AZURE_CLIENT_ID WEBSITE_SITE_NAME DYNO FLY_APP_NAME FLY_REGION RENDER RENDER_SERVICE_ID RAILWAY_ENVIRONMENT
    VERCEL_URL HEROKU_APP_NAME DATABASE_URL REDIS_HOST REDIS_PASSWORD SENTRY_DSN OTEL_EXPORTER_OTLP_ENDPOINT OTEL_LOG_LEVEL
    RPC_URL ETH_RPC_URL MAINNET_RPC_URL ALCHEMY_API_KEY INFURA_API_KEY HELIUS_API_KEY SOLANA_KEYPAIR SOLANA_URL
    SOLANA JUPITER JUPITER_HOST ADMIN ADMIN_USER ADMIN_PASSWORD ADMIN_TOKEN ADMIN_EMAIL ADMIN_HOME ADMIN_ROOT
    SECRET SECRET_KEY SESSION_SECRET JWT_SECRET QUOTE CORS CLIENT_ID CLIENT_SECRET TOKENS VERIFY UNISWAP
    ComSpec windir ProgramFiles NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE USERPROFILE
  `
  const environment = Object.fromEntries(
    others
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'something']),
  )
  t.ok(Object.keys(environment).length > 150)
  t.equal(problemsOf(environment), '')
})

t.test('services that Kubernetes or a link names in the environment never end a start', async (t) => {
  const providers = [...helpText().matchAll(/^ {2}(\w+)_URL /gm)].map(([, label]) => label!)
  t.ok(providers.length >= 12)
  for (const service of [...providers, 'SWAPGATE', 'ADMIN_HOST', 'TRUSTED_PROXY', 'SOLANA_RPC', 'RPC_URLS']) {
    const injected = {
      [`${service}_SERVICE_HOST`]: '10.0.0.1',
      [`${service}_SERVICE_PORT`]: '80',
      [`${service}_SERVICE_PORT_HTTP`]: '80',
      [`${service}_PORT`]: 'tcp://10.0.0.1:80',
      [`${service}_PORT_80_TCP`]: 'tcp://10.0.0.1:80',
      [`${service}_PORT_80_TCP_PROTO`]: 'tcp',
      [`${service}_PORT_80_TCP_PORT`]: '80',
      [`${service}_PORT_80_TCP_ADDR`]: '10.0.0.1',
    }
    t.equal(problemsOf(injected), '', service)
  }
})

t.test('an unknown flag ends the start with what was meant, and without what stands behind it', async (t) => {
  const problem = (...given: string[]): string => {
    try {
      return `accepted: ${readFlags(given)}`
    } catch (error) {
      return (error as Error).message
    }
  }
  t.equal(problem(), 'accepted: null')
  t.equal(problem('--help'), 'accepted: --help')
  t.equal(problem('--version', '--help'), 'accepted: --version')
  t.equal(problem('--hlep'), '"--hlep" is not a flag: --help is')
  t.equal(problem('--versions'), '"--versions" is not a flag: --version is')
  t.equal(problem('--help', 'help'), '"help" is not a flag: --help is')
  t.match(
    problem('--port=80'),
    '"--port" is not a flag: --help, --version, --check are, and settings are environment',
  )
  t.match(problem('--port=80'), /such as PORT$/)
  t.match(problem(`--quote-secret=${KEY}`), /^"--quote-secret" .*such as QUOTE_SECRET$/)
  t.match(problem('-x'), /^"-x" is not a flag: --help, --version, --check are, .*variables$/)
})

t.test('a secret that could be guessed ends the start, and says how one is made', async (t) => {
  const short = problemsOf({ QUOTE_SECRET: 'x'.repeat(31) })
  t.match(short, /^QUOTE_SECRET=\(not shown\): expected .* 32 to 512 .*openssl rand -base64 32/)
  t.equal(readConfig({ QUOTE_SECRET: 'x'.repeat(32) }).quoteSecret, 'x'.repeat(32))
  t.equal(readConfig({ QUOTE_SECRET: '' }).quoteSecret, null)
  t.match(problemsOf({ QUOTE_SECRET: 'x'.repeat(513) }), 'QUOTE_SECRET')
  t.match(problemsOf({ QUOTE_SECRET: 'two words of more than thirty-two letters' }), 'QUOTE_SECRET')
})
