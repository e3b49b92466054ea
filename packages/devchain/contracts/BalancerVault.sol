// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A vault with the functions and events of those of Balancer v2 and v3. A trade has the amounts that its sender gives.
contract BalancerVault {
    /// Of v2.
    event Swap(
        bytes32 indexed poolId,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut
    );
    /// Of v3.
    event Swap(
        address indexed pool,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        uint256 swapFeePercentage,
        uint256 swapFeeAmount
    );

    struct TokenInfo {
        uint8 tokenType;
        address rateProvider;
        bool paysYieldFees;
    }

    mapping(bytes32 => address[]) private tokens;
    mapping(bytes32 => mapping(address => uint256)) private balances;

    /// A v3 pool has its address as the id, filled up at the front.
    function register(bytes32 id, address[] calldata tokens_, uint256[] calldata amounts) external {
        tokens[id] = tokens_;
        for (uint256 i = 0; i < tokens_.length; i++) {
            balances[id][tokens_[i]] = amounts[i];
            IERC20(tokens_[i]).transferFrom(msg.sender, address(this), amounts[i]);
        }
    }

    function swapV2(bytes32 id, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut) external {
        _swap(id, tokenIn, tokenOut, amountIn, amountOut);
        emit Swap(id, tokenIn, tokenOut, amountIn, amountOut);
    }

    function swapV3(address pool, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut) external {
        _swap(_idOf(pool), tokenIn, tokenOut, amountIn, amountOut);
        emit Swap(pool, tokenIn, tokenOut, amountIn, amountOut, 1e15, amountIn / 1000);
    }

    function getPoolTokens(bytes32 id) external view returns (address[] memory, uint256[] memory, uint256) {
        require(tokens[id].length > 0, "BAL#500");
        return (tokens[id], _balancesOf(id), block.number);
    }

    function getPoolTokenInfo(address pool)
        external
        view
        returns (address[] memory, TokenInfo[] memory, uint256[] memory, uint256[] memory)
    {
        bytes32 id = _idOf(pool);
        require(tokens[id].length > 0);
        return (tokens[id], new TokenInfo[](tokens[id].length), _balancesOf(id), new uint256[](tokens[id].length));
    }

    function _swap(bytes32 id, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut) private {
        balances[id][tokenIn] += amountIn;
        balances[id][tokenOut] -= amountOut;
        IERC20(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        IERC20(tokenOut).transfer(msg.sender, amountOut);
    }

    function _balancesOf(bytes32 id) private view returns (uint256[] memory amounts) {
        amounts = new uint256[](tokens[id].length);
        for (uint256 i = 0; i < amounts.length; i++) amounts[i] = balances[id][tokens[id][i]];
    }

    function _idOf(address pool) private pure returns (bytes32) {
        return bytes32(uint256(uint160(pool)));
    }
}
