/**
 * Quotes of a sandboxed gateway, one for each family, as the OpenAPI document
 * shows them. All of them came back to /api/build: build.ts.
 *
 * Source: §4.5
 */
import type { Example } from '../../http/route.ts'

export const QUOTES = {
  evm: {
    request: {
      chain: 'base',
      side: 'sell',
      token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      amount: '250',
      slippageBps: 100,
      from: '0x52908400098527886E0F7030069857D2E4169EE7',
    },
    reply: {
      provider: 'kyberswap',
      chain: 'base',
      chainId: 8453,
      side: 'sell',
      from: '0x52908400098527886E0F7030069857D2E4169EE7',
      amountIn: '250000000',
      amountInHuman: 250,
      expectedOut: '84394646257547318',
      expectedOutHuman: 0.08439464625754732,
      minOut: '83550699794971844',
      slippageBps: 100,
      priceImpactPct: 0.301,
      route: {
        routerAddress: '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5',
        exchanges: ['aerodrome'],
        gas: '107000',
        gasUsd: '0.0039',
        buildBy: 'kyberswap',
        asOf: 1795230557216,
        seal: 'QXTKaOPnbkk2ghZWPOl3qWLhqifZw9NFpylhCxQk33c',
        alternatives: [
          {
            provider: 'velora',
            outcome: 'offered',
            expectedOut: '84394646257547318',
            minOut: '83550699794971844',
          },
          {
            provider: 'uniswap-v2',
            outcome: 'offered',
            expectedOut: '84394646257547318',
            minOut: '83550699794971844',
          },
        ],
        raw: '{"tokenIn":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","amountIn":"250000000","amountInUsd":"250.0032500000","tokenOut":"0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE","amountOut":"84394646257547318","amountOutUsd":"249.2507405043","gas":"107000","gasPrice":"6120000","gasUsd":"0.0039","l1FeeUsd":"0","extraFee":{"feeAmount":"0","chargeFeeBy":"","isInBps":false,"feeReceiver":""},"route":[[{"pool":"0x4a3ef21115fbf9440aca8bc1685a143a11cbe2e3","tokenIn":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","tokenOut":"0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE","swapAmount":"250000000","amountOut":"84394646257547318","exchange":"aerodrome","poolType":"aerodrome","poolExtra":null,"extra":null,"nonce":9007199254740993}]],"routeID":"a10f651f-daa8-135c-8603-c333066db0a6","checksum":"2489107012964831","timestamp":"1795230557"}',
      },
    },
  },
  solana: {
    request: {
      chain: 'solana',
      side: 'buy',
      token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      amount: '0.25',
      slippageBps: 100,
      from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    },
    reply: {
      provider: 'jupiter',
      chain: 'solana',
      chainId: null,
      side: 'buy',
      from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
      amountIn: '250000000',
      amountInHuman: 0.25,
      expectedOut: '34462900',
      expectedOutHuman: 34.4629,
      minOut: '34118271',
      slippageBps: 100,
      priceImpactPct: 0.0002,
      route: {
        hops: ['Raydium'],
        contextSlot: 447552492,
        buildBy: 'jupiter',
        asOf: 1795230557222,
        seal: 'NnWZfmd4Q8Z0MiROzCHHDdW9k2n789Vr9M3Sdugh9LU',
        alternatives: [],
        raw: '{"inputMint":"So11111111111111111111111111111111111111112","inAmount":"250000000","outputMint":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v","outAmount":"34462900","otherAmountThreshold":"34118271","swapMode":"ExactIn","slippageBps":100,"platformFee":null,"priceImpactPct":"0.00000200","routePlan":[{"swapInfo":{"ammKey":"9xhy7fihcvta328q79jTzTQX14Qp8uoUtWnknfN9Jz6S","label":"Raydium","inputMint":"So11111111111111111111111111111111111111112","outputMint":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v","inAmount":"250000000","outAmount":"34462900"},"percent":100,"bps":10000}],"contextSlot":447552492,"timeTaken":0.004,"quoteId":16698102864836955435}',
      },
    },
  },
  sui: {
    request: {
      chain: 'sui',
      side: 'buy',
      token: '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC',
      amount: '0.5',
      slippageBps: 100,
      from: '0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
    },
    reply: {
      provider: 'xprov',
      chain: 'sui',
      chainId: null,
      side: 'buy',
      from: '0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
      amountIn: '500000000',
      amountInHuman: 0.5,
      expectedOut: '820455',
      expectedOutHuman: 0.820455,
      minOut: '812250',
      slippageBps: 100,
      priceImpactPct: 0.3038,
      route: {
        tool: 'sandboxswap',
        hops: ['sandboxswap'],
        buildBy: 'xprov',
        asOf: 1795230557237,
        seal: 'p34BaD1A0_1TgdrT6j6Z98WTwiPPteo52SiYi4_AiG0',
        alternatives: [
          { provider: 'aftermath', outcome: 'offered', expectedOut: '820455', minOut: '812250' },
        ],
        raw: '{"id":"d9237a46-5dfd-49ee-8056-66d85483c229:0","type":"lifi","tool":"sandboxswap","toolDetails":{"key":"sandboxswap","name":"sandboxswap","logoURI":"https://example.org/logo.svg"},"action":{"fromChainId":9270000000000000,"toChainId":9270000000000000,"fromToken":{"address":"0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI","chainId":9270000000000000,"symbol":"SUI","decimals":9,"name":"Sui coin","coinKey":"SUI","priceUSD":"1.645870408000"},"toToken":{"address":"0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC","chainId":9270000000000000,"symbol":"USDC","decimals":6,"name":"USD Coin","coinKey":"USDC","priceUSD":"1.000013000000"},"fromAmount":"500000000","slippage":0.01,"fromAddress":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a","toAddress":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"},"estimate":{"tool":"sandboxswap","fromAmount":"500000000","toAmount":"820455","toAmountMin":"812250","fromAmountUSD":"0.8229","toAmountUSD":"0.8204","approvalAddress":"","executionDuration":15,"feeCosts":[],"gasCosts":[]},"includedSteps":[{"id":"d9237a46-5dfd-49ee-8056-66d85483c229","type":"swap","tool":"sandboxswap","toolDetails":{"key":"sandboxswap","name":"sandboxswap","logoURI":"https://example.org/logo.svg"},"action":{"fromChainId":9270000000000000,"toChainId":9270000000000000,"fromToken":{"address":"0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI","chainId":9270000000000000,"symbol":"SUI","decimals":9,"name":"Sui coin","coinKey":"SUI","priceUSD":"1.645870408000"},"toToken":{"address":"0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC","chainId":9270000000000000,"symbol":"USDC","decimals":6,"name":"USD Coin","coinKey":"USDC","priceUSD":"1.000013000000"},"fromAmount":"500000000","slippage":0.01,"fromAddress":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a","toAddress":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"},"estimate":{"tool":"sandboxswap","fromAmount":"500000000","toAmount":"820455","toAmountMin":"812250","fromAmountUSD":"0.8229","toAmountUSD":"0.8204","approvalAddress":"","executionDuration":15,"feeCosts":[],"gasCosts":[]}}],"integrator":"swapgate","transactionId":"0xa103245e5f42f4d273f6c05c81a047bec87b16587bee8ce65412ed5d98e33fc9","transactionRequest":{"data":"AAANAAgAZc0dAAAAAAAhIDA2OTk0YjFjMTgxNTk1NTBmZDZiNmM1YTFhYjc5NWRhAAjaZAwAAAAAAAAI2mQMAAAAAAAABAAAAAAAIFpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaAQEG3nXXOiMDwvPY3U1+7oUfJPtR7JcXJqa1lp98EP6u3AEAAAAAAAAAAQEB2qRikmMsPE2PMfI+oPmzaij/NnfpaEmA5EOEA6Z6PY8BAAAAAAAAAAEBAWObXkM9oxc56ADNCF81bmTK4iKWbQ8bEb2dx2syL/WLAQAAAAAAAAABAAEBAAgAZc0dAAAAAAEBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYBAAAAAAAAAAEAIFpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaBQIAAQEAAADeXWlqeXFMpcuRC5rtmdQfZzU6uwBxXOrrBmPVfuOWQAZyb3V0ZXIQbmV3X3N3YXBfY29udGV4dAIHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIDc3VpA1NVSQAH26NGcuMMsGWx+T46tVMYdo/W/vZsFZQsn3y4RuL5AOcEdXNkYwRVU0RDAAYBAQABAgABAwADAAAAAAEEAAEFAAByHZUOVyWc2X1BAQiHq1Au53U7Cj3rS2qACZqtDIM5KAVjZXR1cwRzd2FwAgcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgNzdWkDU1VJAAfbo0Zy4wywZbH5Pjq1Uxh2j9b+9mwVlCyffLhG4vkA5wR1c2RjBFVTREMABwIBAAEHAAEGAAEIAAEJAAEKAAELAADeXWlqeXFMpcuRC5rtmdQfZzU6uwBxXOrrBmPVfuOWQAZyb3V0ZXIMY29uZmlybV9zd2FwAQfbo0Zy4wywZbH5Pjq1Uxh2j9b+9mwVlCyffLhG4vkA5wR1c2RjBFVTREMAAQIBAAEBAgMAAQwAWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWloBdniapJYn/y/DFQJt1bbJS9LaBuQnK7avFPt5YIY1vs0BAAAAAAAAACCxn47a4u5sIltyeLKJwoI6uazPoiXF1nxL7ycLiOpV8FpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpa7gIAAAAAAAAALTEBAAAAAAA="}}',
      },
    },
  },
  ton: {
    request: {
      chain: 'ton',
      side: 'buy',
      token: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
      amount: '0.5',
      slippageBps: 100,
      from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
    },
    reply: {
      provider: 'swapcoffee',
      chain: 'ton',
      chainId: null,
      side: 'buy',
      from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
      amountIn: '500000000',
      amountInHuman: 0.5,
      expectedOut: '764450',
      expectedOutHuman: 0.76445,
      minOut: '756805',
      slippageBps: 100,
      priceImpactPct: 0.0001,
      route: {
        hops: [{ dex: 'stonfi_v2', pool: 'EQCaEsg_t7M-Gyw8iyNsjIFmr2q-8REy0IB4bLIs_42pXm5_' }],
        recommendedGas: 0.2,
        buildBy: 'swapcoffee',
        asOf: 1795230557246,
        seal: 'kyevfcG34IFoKeFzEJxGJL6I8UsRut22pU-WCYMlVd8',
        alternatives: [{ provider: 'stonfi', outcome: 'offered', expectedOut: '764450', minOut: '756805' }],
        raw: '{"input_token":{"address":{"blockchain":"ton","address":"native"},"metadata":{"name":"TON coin","symbol":"TON","decimals":9,"listed":true,"verification":"whitelisted"}},"output_token":{"address":{"blockchain":"ton","address":"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"},"metadata":{"name":"Tether USD","symbol":"USDT","decimals":6,"listed":true,"verification":"whitelisted"}},"input_amount":0.5,"output_amount":0.76445,"input_usd":0.766716687,"output_usd":0.764415576,"savings":0,"recommended_gas":0.2,"price_impact":-0.000001,"paths":[{"blockchain":"ton","dex":"stonfi_v2","pool_address":"EQCaEsg_t7M-Gyw8iyNsjIFmr2q-8REy0IB4bLIs_42pXm5_","input_token":{"address":{"blockchain":"ton","address":"native"},"metadata":{"name":"TON coin","symbol":"TON","decimals":9,"listed":true,"verification":"whitelisted"}},"output_token":{"address":{"blockchain":"ton","address":"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"},"metadata":{"name":"Tether USD","symbol":"USDT","decimals":6,"listed":true,"verification":"whitelisted"}},"swap":{"result":"fully_fulfilled","input_amount":0.5,"output_amount":0.76445,"left_amount":0},"recommended_gas":0.2,"average_gas":0.08,"next":[]}]}',
      },
    },
  },
} satisfies Record<string, Example>

export const QUOTE_ERRORS = {
  400: {
    error: 'KyberSwap found no route for this pair and amount.',
    scope: 'route',
    code: 'no_route',
    provider: 'kyberswap',
  },
  502: {
    error: 'The upstream failed with a server error. Try again later.',
    scope: 'provider',
    code: 'upstream_failed',
    provider: 'jupiter',
    upstreamStatus: 500,
  },
}
