// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Malformed logs with the topics of token transfers. None of them is a transfer.
contract HostileLogs {
    bytes32 private constant TRANSFER = keccak256("Transfer(address,address,uint256)");
    bytes32 private constant SINGLE = keccak256("TransferSingle(address,address,address,uint256,uint256)");
    bytes32 private constant BATCH = keccak256("TransferBatch(address,address,address,uint256[],uint256[])");
    bytes32 private constant DIRT = bytes32(uint256(type(uint96).max) << 160);

    /// In this order: ERC-20 with no indexed argument, with one, with dirty addresses, with data of 31 and of 64 bytes;
    /// ERC-721 with dirty addresses.
    function transfers(address from, address to) external {
        bytes32 sender = topic(from);
        bytes32 receiver = topic(to);
        log1(TRANSFER, abi.encode(from, to, 1));
        log2(TRANSFER, sender, abi.encode(to, 2));
        log3(TRANSFER, sender | DIRT, receiver | DIRT, abi.encode(3));
        log3(TRANSFER, sender, receiver, new bytes(31));
        log3(TRANSFER, sender, receiver, abi.encode(5, 5));
        log4(TRANSFER, sender | DIRT, receiver | DIRT, bytes32(uint256(6)), "");
    }

    /// In this order: ERC-1155 batches with more ids than values, cut off within the values, with offsets beyond the
    /// data and with a length beyond all memory; a single transfer cut off within its value.
    function batches(address from, address to) external {
        uint256[] memory two = new uint256[](2);
        uint256[] memory three = new uint256[](3);
        bytes memory whole = abi.encode(two, two);
        log4(BATCH, topic(msg.sender), topic(from), topic(to), abi.encode(three, two));
        assembly {
            mstore(whole, sub(mload(whole), 33))
        }
        log4(BATCH, topic(msg.sender), topic(from), topic(to), whole);
        log4(BATCH, topic(msg.sender), topic(from), topic(to), abi.encode(type(uint256).max, 1 << 255));
        log4(BATCH, topic(msg.sender), topic(from), topic(to), abi.encode(64, 64, type(uint256).max));
        log4(SINGLE, topic(msg.sender), topic(from), topic(to), new bytes(63));
    }

    function topic(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function log1(bytes32 a, bytes memory data) private {
        assembly {
            log1(add(data, 32), mload(data), a)
        }
    }

    function log2(bytes32 a, bytes32 b, bytes memory data) private {
        assembly {
            log2(add(data, 32), mload(data), a, b)
        }
    }

    function log3(bytes32 a, bytes32 b, bytes32 c, bytes memory data) private {
        assembly {
            log3(add(data, 32), mload(data), a, b, c)
        }
    }

    function log4(bytes32 a, bytes32 b, bytes32 c, bytes32 d, bytes memory data) private {
        assembly {
            log4(add(data, 32), mload(data), a, b, c, d)
        }
    }
}
